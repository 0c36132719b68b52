"""Reads the index that a debug build leaves: which symbols a file declares and which ones it uses, members included."""
import ctypes, pathlib, shutil


class Text(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("count", ctypes.c_size_t)]

    def __bytes__(self):
        return ctypes.string_at(self.start, self.count)


class SwiftIndex:
    pointer = ctypes.c_void_p
    functions = [
        ("store_create", pointer, [ctypes.c_char_p, pointer]),
        ("store_units_apply_f", ctypes.c_bool, [pointer, ctypes.c_uint, pointer, pointer]),
        ("unit_reader_create", pointer, [pointer, ctypes.c_char_p, pointer]),
        ("unit_reader_dispose", None, [pointer]),
        ("unit_reader_get_main_file", Text, [pointer]),
        ("unit_reader_dependencies_apply_f", ctypes.c_bool, [pointer, pointer, pointer]),
        ("unit_dependency_get_kind", ctypes.c_int, [pointer]),
        ("unit_dependency_get_name", Text, [pointer]),
        ("unit_dependency_get_filepath", Text, [pointer]),
        ("record_reader_create", pointer, [pointer, ctypes.c_char_p, pointer]),
        ("record_reader_dispose", None, [pointer]),
        ("record_reader_symbols_apply_f", ctypes.c_bool, [pointer, ctypes.c_bool, pointer, pointer]),
        ("symbol_get_roles", ctypes.c_uint64, [pointer]),
        ("symbol_get_usr", Text, [pointer]),
        ("symbol_get_name", Text, [pointer]),
    ]

    @staticmethod
    def of(package):
        """The index of a package's last debug build; None if there is none, or no library that reads it."""
        store, swift = package / ".build/debug/index/store", shutil.which("swift")
        if not swift or not store.is_dir():
            return None
        library = pathlib.Path(swift).resolve().parent.parent / "lib/libIndexStore"
        for path in (library.with_suffix(".so"), library.with_suffix(".dylib")):
            if path.exists():
                return SwiftIndex(store, path)
        return None

    def __init__(self, store, library):
        library = ctypes.CDLL(str(library))
        for name, result, parameters in self.functions:
            function = getattr(library, "indexstore_" + name)
            function.restype, function.argtypes = result, parameters
            setattr(self, name, function)
        self.store, self.folder = self.store_create(str(store).encode(), None), store
        self.units, self.records = {}, {}
        if self.store:
            def note(text):
                name = bytes(text)
                self.units.setdefault(name.partition(b".o-")[0].decode(), []).append(name)
            self._each(self.store_units_apply_f, self.store, 0, body=note, item=Text)

    def symbols(self, source):
        """The identifiers of the symbols that a file declares, and of those that it uses; None if it was changed after the build."""
        record = self._record(source)
        if not record:
            return None
        declared, used = set(), set()
        def note(symbol):
            roles = self.symbol_get_roles(symbol)
            if roles & 0b11:
                declared.add(bytes(self.symbol_get_usr(symbol)))
            elif roles & 0b100:
                used.add(bytes(self.symbol_get_usr(symbol)))
        self._read(record, note)
        return declared, used

    def name(self, identifier, source):
        """The name of a symbol that a file uses."""
        names = []
        def note(symbol):
            if bytes(self.symbol_get_usr(symbol)) == identifier:
                names.append(bytes(self.symbol_get_name(symbol)).decode())
        self._read(self._record(source), note)
        return names[0]

    def _record(self, source):
        if source not in self.records:
            self.records[source] = self._newest_record(source)
        return self.records[source]

    def _newest_record(self, source):
        # A target that a plug-in uses is built twice.
        found = []
        for unit in self.units.get(source.name, []):
            reader = self.unit_reader_create(self.store, unit, None)
            if not reader:
                continue
            if bytes(self.unit_reader_get_main_file(reader)).decode() == str(source):
                written = max((p.stat().st_mtime for p in self.folder.glob(f"*/units/{unit.decode()}")), default=0)
                def note(dependency):
                    if (self.unit_dependency_get_kind(dependency) == 2
                            and bytes(self.unit_dependency_get_filepath(dependency)).decode() == str(source)):
                        found.append((written, bytes(self.unit_dependency_get_name(dependency))))
                self._each(self.unit_reader_dependencies_apply_f, reader, body=note)
            self.unit_reader_dispose(reader)
        written, record = max(found, default=(0, None))
        return record if written >= source.stat().st_mtime else None

    def _read(self, record, body):
        reader = self.record_reader_create(self.store, record, None)
        self._each(self.record_reader_symbols_apply_f, reader, True, body=body)
        self.record_reader_dispose(reader)

    @staticmethod
    def _each(function, *arguments, body, item=ctypes.c_void_p):
        callback = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, item)(lambda _, value: body(value) or True)
        function(*arguments, None, ctypes.cast(callback, ctypes.c_void_p))
