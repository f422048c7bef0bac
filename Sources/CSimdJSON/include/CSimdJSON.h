// A C door to simdjson's DOM parser. The tape it builds (simdjson doc/tape.md) is handed out as
// it is, so that a reader walks it without a call per member.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CSimdJSON_parser CSimdJSON_parser;

// Bytes that must be readable behind a document given with `padded`.
extern const size_t CSimdJSON_padding;

// Returns NULL when memory is short. `depth_max` counts nested objects and arrays.
CSimdJSON_parser *CSimdJSON_create(size_t length_max, size_t depth_max);
void CSimdJSON_destroy(CSimdJSON_parser *parser);

// Returns 0 or an error for CSimdJSON_message. Tape and strings stand until the next parse.
// With `padded` the document is read in place, else it is copied first.
int CSimdJSON_parse(CSimdJSON_parser *parser, const uint8_t *bytes, size_t length, bool padded);
const uint64_t *CSimdJSON_tape(const CSimdJSON_parser *parser);
const uint8_t *CSimdJSON_strings(const CSimdJSON_parser *parser);

// A sentence, for ever valid.
const char *CSimdJSON_message(int error);

#ifdef __cplusplus
}
#endif
