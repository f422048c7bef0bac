#include "CSimdJSON.h"

#include <new>
#include <simdjson.h>

struct CSimdJSON_parser {
    simdjson::dom::parser dom;
    explicit CSimdJSON_parser(size_t length_max) : dom(length_max) {}
};

const size_t CSimdJSON_padding = simdjson::SIMDJSON_PADDING;

// The first allocation is small; simdjson grows it to the largest document seen, keeping the
// depth, and refuses what is longer than `length_max`.
static const size_t capacity_first = 16 * 1024;

CSimdJSON_parser *CSimdJSON_create(size_t length_max, size_t depth_max) {
    auto *parser = new (std::nothrow) CSimdJSON_parser(length_max);
    if (parser == nullptr) return nullptr;
    size_t capacity = length_max < capacity_first ? length_max : capacity_first;
    // simdjson refuses what reaches the depth it is given.
    if (parser->dom.allocate(capacity, depth_max + 1) != simdjson::SUCCESS) {
        delete parser;
        return nullptr;
    }
    return parser;
}

void CSimdJSON_destroy(CSimdJSON_parser *parser) { delete parser; }

int CSimdJSON_parse(CSimdJSON_parser *parser, const uint8_t *bytes, size_t length, bool padded) {
    return parser->dom.parse(bytes, length, !padded).error();
}

const uint64_t *CSimdJSON_tape(const CSimdJSON_parser *parser) {
    return parser->dom.doc.tape.get();
}

const uint8_t *CSimdJSON_strings(const CSimdJSON_parser *parser) {
    return parser->dom.doc.string_buf.get();
}

const char *CSimdJSON_message(int error) {
    return simdjson::error_message(static_cast<simdjson::error_code>(error));
}
