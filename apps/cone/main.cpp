#include <cstdio>

int main() {
  std::puts("cone " CONE_VERSION);
  return 0;
}
