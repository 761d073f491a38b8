#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cone::load {

/// Whether a reader would take two different texts for the same: they differ in letter case, in
/// accents that are part of the letter or a combining mark, in letters of other alphabets that have
/// the same shape, in kinds of spaces and dashes, or in invisible characters. Only the most common
/// shapes are known. Both texts are valid UTF-8.
bool look_alike(std::string_view a, std::string_view b);

/// Where two texts differ, by code points: "'mail' has U+0061 where 'mаil' has U+0430".
std::string name_difference(std::string_view a, std::string_view b);

/// One sentence for every two labels that look alike but differ. They are not merged: only the user
/// knows whether they mean the same.
std::vector<std::string> describe_look_alikes(std::span<const std::string> labels);

}  // namespace cone::load
