#include "distributed/meeting_point.hpp"

#include <thread>

namespace cone::distributed {

void MeetingPoint::rest(int& looks) {
  if (looks >= kLooks) {
    std::this_thread::yield();
    return;
  }
  ++looks;
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace cone::distributed
