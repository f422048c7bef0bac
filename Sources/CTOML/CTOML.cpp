// Debian ships toml++ compiled; these two are what its pkg-config file says.
#define TOML_HEADER_ONLY 0
#define TOML_SHARED_LIB 1

#include "CTOML.h"

#include <algorithm>
#include <deque>
#include <new>
#include <sstream>
#include <string>
#include <toml++/toml.h>
#include <vector>

struct CTOML_document {
    toml::table root;
    std::vector<CTOML_node> nodes;
    // Written dates. A deque, so that earlier ones stay where they are.
    std::deque<std::string> dates;
    std::string error;
    uint32_t line = 0;
    uint32_t column = 0;
};

// Parts of a dotted key, and tables and arrays within each other: deeper than this nobody means to
// write. toml++ bounds nested values but not dotted keys, whose tables it frees recursively: a key
// of some ten thousand parts overflows the stack. So keys are looked at before it is asked.
static const int depth_max = 64;

struct too_deep {
    uint32_t line;
    uint32_t column;
};

// Walks through a text without understanding more of it than strings and comments.
class key_scanner {
public:
    explicit key_scanner(std::string_view text) : text(text) {}

    // Throws for a dotted key of too many parts. A text that is not TOML ends in toml++, which
    // stops at the same place or before.
    void check() {
        int dots = 0;
        while (index < text.size()) {
            switch (text[index]) {
            case '"': skip_string('"', true); continue;
            case '\'': skip_string('\'', false); continue;
            case '#':
                while (index < text.size() && text[index] != '\n') index++;
                continue;
            case '.':
                if (++dots >= depth_max) throw too_deep{line, column()};
                break;
            case '\n':
                line++;
                line_start = index + 1;
                dots = 0;
                break;
            case '=': case ',': case '[': case ']': case '{': case '}': dots = 0; break;
            default: break;
            }
            index++;
        }
    }

private:
    std::string_view text;
    size_t index = 0;
    size_t line_start = 0;
    uint32_t line = 1;

    uint32_t column() const { return static_cast<uint32_t>(index - line_start + 1); }

    bool starts_thrice(char quote) const {
        return text.substr(index, 3) == std::string(3, quote);
    }

    void skip_string(char quote, bool has_escapes) {
        bool is_long = starts_thrice(quote);
        index += is_long ? 3 : 1;
        while (index < text.size()) {
            if (text[index] == '\n') {
                // A short one that is not closed: toml++ says so.
                if (!is_long) return;
                line++;
                line_start = index + 1;
            } else if (text[index] == '\\' && has_escapes) {
                index++;
                if (index < text.size() && text[index] == '\n') continue;
            } else if (text[index] == quote && (!is_long || starts_thrice(quote))) {
                index += is_long ? 3 : 1;
                return;
            }
            index++;
        }
    }
};

static void append(CTOML_document &document, const toml::key *key, const toml::node &value,
                   int depth);

static void append_table(CTOML_document &document, const toml::table &table, int depth) {
    // toml++ keeps members in the order of their names; the order of the file is what people see.
    std::vector<std::pair<const toml::key *, const toml::node *>> members;
    members.reserve(table.size());
    for (auto &&[key, value] : table) members.emplace_back(&key, &value);
    std::sort(members.begin(), members.end(), [](const auto &left, const auto &right) {
        return left.first->source().begin < right.first->source().begin;
    });
    for (auto &[key, value] : members) append(document, key, *value, depth);
}

template <typename Date>
static void set_date(CTOML_document &document, CTOML_node &node, const Date &date) {
    std::ostringstream text;
    text << date;
    document.dates.push_back(text.str());
    node.kind = CTOML_DATE;
    node.text = document.dates.back().data();
    node.text_length = document.dates.back().size();
}

static void append(CTOML_document &document, const toml::key *key, const toml::node &value,
                   int depth) {
    CTOML_node node = {};
    node.line = value.source().begin.line;
    node.column = value.source().begin.column;
    if (key != nullptr) {
        node.key = key->data();
        node.key_length = key->length();
        node.key_line = key->source().begin.line;
        node.key_column = key->source().begin.column;
    }
    if (depth > depth_max) throw too_deep{node.line, node.column};
    if (auto *table = value.as_table()) {
        node.kind = CTOML_TABLE;
        node.count = static_cast<uint32_t>(table->size());
        document.nodes.push_back(node);
        append_table(document, *table, depth + 1);
        return;
    }
    if (auto *array = value.as_array()) {
        node.kind = CTOML_ARRAY;
        node.count = static_cast<uint32_t>(array->size());
        document.nodes.push_back(node);
        for (auto &&element : *array) append(document, nullptr, element, depth + 1);
        return;
    }
    if (auto *string = value.as_string()) {
        node.kind = CTOML_STRING;
        node.text = string->get().data();
        node.text_length = string->get().size();
    } else if (auto *integer = value.as_integer()) {
        node.kind = CTOML_INTEGER;
        node.integer = integer->get();
    } else if (auto *number = value.as_floating_point()) {
        node.kind = CTOML_DOUBLE;
        node.number = number->get();
    } else if (auto *boolean = value.as_boolean()) {
        node.kind = CTOML_BOOL;
        node.integer = boolean->get() ? 1 : 0;
    } else if (auto *date = value.as_date()) {
        set_date(document, node, date->get());
    } else if (auto *time = value.as_time()) {
        set_date(document, node, time->get());
    } else if (auto *date_time = value.as_date_time()) {
        set_date(document, node, date_time->get());
    }
    document.nodes.push_back(node);
}

static void fail(CTOML_document &document, std::string message, uint32_t line, uint32_t column) {
    document.nodes.clear();
    document.error = std::move(message);
    document.line = line;
    document.column = column;
}

CTOML_document *CTOML_parse(const char *bytes, size_t length) {
    auto *document = new (std::nothrow) CTOML_document;
    if (document == nullptr) return nullptr;
    try {
        key_scanner(std::string_view(bytes, length)).check();
        document->root = toml::parse(std::string_view(bytes, length), std::string_view());
        append(*document, nullptr, document->root, 0);
    } catch (const toml::parse_error &error) {
        auto at = error.source().begin;
        fail(*document, std::string(error.description()), at.line, at.column);
    } catch (const too_deep &at) {
        fail(*document, "tables are nested too deeply: more than " + std::to_string(depth_max),
             at.line, at.column);
    } catch (const std::exception &error) {
        fail(*document, error.what(), 1, 1);
    }
    return document;
}

void CTOML_free(CTOML_document *document) { delete document; }

const CTOML_node *CTOML_nodes(const CTOML_document *document, size_t *count) {
    *count = document->nodes.size();
    return document->nodes.data();
}

const char *CTOML_error(const CTOML_document *document, uint32_t *line, uint32_t *column) {
    if (document->error.empty()) return nullptr;
    *line = document->line;
    *column = document->column;
    return document->error.c_str();
}
