// A C door to toml++ (Debian: libtomlplusplus-dev). A document comes out as one flat list of
// nodes, parents before their children, so that a reader needs one pass and no call per node.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CTOML_document CTOML_document;

enum {
    CTOML_TABLE = 0,
    CTOML_ARRAY = 1,
    CTOML_STRING = 2,
    CTOML_INTEGER = 3,
    CTOML_DOUBLE = 4,
    CTOML_BOOL = 5,
    CTOML_DATE = 6,
};

// Lines and columns count from 1. Texts are UTF-8, not terminated, and stand until CTOML_free.
typedef struct {
    uint8_t kind;
    uint32_t line;
    uint32_t column;
    // Zero and NULL for the root and for elements of an array.
    uint32_t key_line;
    uint32_t key_column;
    const char *key;
    size_t key_length;
    // Strings and dates (RFC 3339).
    const char *text;
    size_t text_length;
    // Integers; 0 or 1 for a bool.
    int64_t integer;
    double number;
    // Members of a table, in the order of the file, or elements of an array: they follow.
    uint32_t count;
} CTOML_node;

// Returns NULL when memory is short. A document that is not TOML comes with an error and no nodes.
CTOML_document *CTOML_parse(const char *bytes, size_t length);
void CTOML_free(CTOML_document *document);

const CTOML_node *CTOML_nodes(const CTOML_document *document, size_t *count);

// NULL when the document is good.
const char *CTOML_error(const CTOML_document *document, uint32_t *line, uint32_t *column);

#ifdef __cplusplus
}
#endif
