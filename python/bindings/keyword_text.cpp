#include "keyword_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <utility>
#include <vector>

namespace cone::python {
namespace {

using Spelling = std::pair<std::string_view, std::string_view>;

/// Flags without a keyword of the same name, or that take no value.
constexpr std::array<Spelling, 4> kSpecial = {{{"policy", "policies="},
                                               {"json", "to_json()"},
                                               {"report", "report()"},
                                               {"lower-is-better", "lower_is_better=True"}}};

/// Words after a flag in a sentence that are not its value.
constexpr std::array<std::string_view, 30> kNoValue = {
    "a",    "and",   "are",   "by",   "cannot", "columns", "for",   "has",
    "here", "if",    "in",    "is",   "leaves", "leave",   "names", "on",
    "or",   "out",   "runs",  "says", "serve",  "takes",   "the",   "instead",
    "to",   "where", "which", "with", "while",  "without"};

bool is_name_letter(char c) {
  return std::islower(static_cast<unsigned char>(c)) != 0 ||
         std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-';
}

/// The word at the beginning, without the punctuation of the sentence.
std::string_view first_word(std::string_view text) {
  std::string_view word = text.substr(0, text.find_first_of(" ;()'\""));
  while (!word.empty() && std::string_view(",.:?").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  return word;
}

std::string spell_value(std::string_view word) {
  const auto is_capital = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  const auto is_digit = [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
  };
  if (std::ranges::all_of(word, is_capital) || std::ranges::all_of(word, is_digit)) {
    return std::string(word);  // something to be filled in, or a number
  }
  return '"' + std::string(word) + '"';
}

/// Writes the flag that `rest` begins with, and its value; returns how many characters that took.
std::size_t append_keyword(std::string_view rest, std::string& out) {
  std::size_t end = 2;
  while (end < rest.size() && is_name_letter(rest[end])) ++end;
  std::string name(rest.substr(2, end - 2));
  for (const auto& [flag, spelling] : kSpecial) {
    if (name != flag) continue;
    out += spelling;
    return end;
  }
  const bool is_off = name.starts_with("no-");
  if (is_off) name.erase(0, 3);
  std::ranges::replace(name, '-', '_');
  out += name + (is_off ? "=False" : "=");
  if (is_off || end >= rest.size() || rest[end] != ' ') return end;
  const std::string_view word = first_word(rest.substr(end + 1));
  if (word.empty() || word.starts_with("--") || std::ranges::count(kNoValue, word) > 0) return end;
  out += spell_value(word);
  return end + 1 + word.size();
}

/// In places only flags change: others are names of the user. An option alone has no equals sign:
/// "folds: has no effect with ...".
std::string spell_place(const std::string& item) {
  if (!item.starts_with("--")) return item;
  std::string out = spell_as_keywords(item);
  for (std::size_t k = out.size(); k-- > 0;) {
    const bool ends = k + 1 == out.size() || out[k + 1] == ',';
    if (out[k] == '=' && ends) out.erase(k, 1);
  }
  return out;
}

/// How long the name in quotes is that `rest` begins with, both quotes included; 0 where there is
/// none. Names are the user's: they stay as they are.
std::size_t quoted_length(std::string_view rest) {
  if (rest.front() != '\'') return 0;
  const std::size_t end = rest.find('\'', 1);
  return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace

std::string spell_as_keywords(std::string_view sentence) {
  std::string out;
  for (std::size_t i = 0; i < sentence.size();) {
    const bool begins_word = i == 0 || sentence[i - 1] == ' ' || sentence[i - 1] == '(';
    const std::size_t quoted = begins_word ? quoted_length(sentence.substr(i)) : 0;
    if (quoted > 0) {
      out += sentence.substr(i, quoted);
      i += quoted;
    } else if (begins_word && sentence.size() > i + 2 && sentence.substr(i, 2) == "--" &&
               std::islower(static_cast<unsigned char>(sentence[i + 2])) != 0) {
      i += append_keyword(sentence.substr(i), out);
    } else {
      out += sentence[i++];
    }
  }
  return out;
}

std::vector<std::string> spell_as_keywords(const std::vector<std::string>& sentences) {
  std::vector<std::string> out;
  out.reserve(sentences.size());
  for (const std::string& sentence : sentences) out.push_back(spell_as_keywords(sentence));
  return out;
}

Error spell_as_keywords(const Error& error) {
  std::vector<Fault> faults = error.faults();
  for (Fault& fault : faults) {
    fault.place.item = spell_place(fault.place.item);
    fault.what = spell_as_keywords(fault.what);
    fault.advice = spell_as_keywords(fault.advice);
  }
  return {error.code(), std::move(faults), error.num_unlisted()};
}

}  // namespace cone::python
