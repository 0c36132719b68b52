-- Tables as another program makes them.
CREATE TYPE mood AS ENUM ('calm', 'wild');
CREATE DOMAIN short_text AS varchar(40) NOT NULL DEFAULT 'none' CHECK (VALUE <> '');
CREATE TABLE room (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, floor_number smallint);
CREATE TABLE artist (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(), full_name varchar(100) NOT NULL, born date, website text,
  UNIQUE (full_name, born));
CREATE TABLE sculpture (
  id bigserial PRIMARY KEY,
  title text NOT NULL DEFAULT 'It''s \ untitled', price numeric(12, 2) DEFAULT 19.90, weight_in_tons double precision DEFAULT '-1.5',
  height real, pieces integer NOT NULL DEFAULT 1, views bigint DEFAULT '-1', is_shown boolean NOT NULL DEFAULT true,
  photo bytea DEFAULT '\x00ff', acquired_at timestamptz DEFAULT '2001-01-01 00:00:01.5+00', seen_at timestamp DEFAULT now(),
  token uuid DEFAULT '6ba7b810-9dad-11d1-80b4-00c04fd430c8', feeling mood DEFAULT 'calm', remark short_text,
  tags text[], moods mood[], prices numeric[], details jsonb DEFAULT '{}', opens time, label text GENERATED ALWAYS AS (title || '!') STORED,
  artist_id uuid NOT NULL REFERENCES artist ON DELETE CASCADE,
  restorer_id uuid REFERENCES artist ON DELETE SET NULL,
  room_id integer REFERENCES room,
  part_of bigint REFERENCES sculpture ON DELETE CASCADE,
  CHECK (pieces > 0));
CREATE INDEX sculpture_title ON sculpture (title);
CREATE INDEX sculpture_newest ON sculpture (acquired_at DESC, title);
CREATE INDEX sculpture_room ON sculpture (room_id);
CREATE INDEX sculpture_lower ON sculpture (lower(title));
CREATE INDEX sculpture_details ON sculpture USING gin (details);
CREATE UNIQUE INDEX sculpture_token ON sculpture (token);
CREATE UNIQUE INDEX sculpture_shown ON sculpture (title) WHERE is_shown;
CREATE TABLE pedestal (
  sculpture_id bigint PRIMARY KEY REFERENCES sculpture ON DELETE CASCADE, material text);
CREATE TABLE exhibition (code char(8) PRIMARY KEY, starts timestamptz NOT NULL);
CREATE TABLE exhibit (
  exhibition_code char(8) REFERENCES exhibition ON DELETE CASCADE, sculpture_id bigint REFERENCES sculpture,
  PRIMARY KEY (exhibition_code, sculpture_id));
CREATE TABLE loan (
  lender text, number integer, sculpture_id bigint NOT NULL REFERENCES sculpture, PRIMARY KEY (lender, number));
CREATE TABLE loan_payment (
  id integer PRIMARY KEY, lender text, number integer, amount numeric, FOREIGN KEY (lender, number) REFERENCES loan);
CREATE TABLE log_line (text text);
CREATE VIEW shown AS SELECT title FROM sculpture WHERE is_shown;
CREATE TABLE visit (day date, room_id integer REFERENCES room, PRIMARY KEY (day, room_id)) PARTITION BY RANGE (day);
CREATE TABLE visit_2024 PARTITION OF visit FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
