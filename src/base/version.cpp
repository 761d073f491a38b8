#include "cone/error.hpp"

namespace cone {

constinit const std::string_view kVersion = CONE_VERSION;

}  // namespace cone
