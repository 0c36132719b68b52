// libxml2's headers include ICU's where it was built with ICU; those clash with the ICU that Foundation carries.
// Only a struct of character encodings depends on it, which is not used here.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
