#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"

#include "simulate/simulated_data.hpp"

namespace cone {
namespace {

class Refuser : public ProgressObserver {
 public:
  bool update(std::string_view, std::uint64_t, std::uint64_t) override { return false; }
};

TEST(Demo, CanBeStoppedWhileItIsGenerated) {
  Refuser observer;
  EXPECT_THROW(demo_data(Context({.threads = 2, .progress = &observer})), Cancelled);
}

}  // namespace
}  // namespace cone
