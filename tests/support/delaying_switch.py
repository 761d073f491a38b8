"""A switch that holds every frame back, for kernels without netem.

    delaying_switch.py SECONDS HOST...

Every host is a network namespace and gets a device eth0 whose other end is this process; it prints
"ready" when all have theirs. The last byte of a hardware address is the host's number.
"""

import collections
import ctypes
import fcntl
import os
import select
import struct
import sys
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TAP_WITHOUT_HEADER = 0x1002
LONGEST_FRAME = 1 << 16
EVERYBODY = 0xFF


def enter(namespace):
    if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def plug_in(host):
    """The switch's end of a new device of the host."""
    with open(f"/run/netns/{host}", "rb") as namespace:
        enter(namespace)
    port = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(port, TUNSETIFF, struct.pack("16sH22x", b"eth0", IFF_TAP_WITHOUT_HEADER))
    return port


def forward(ports, source, frame):
    to = frame[5]  # the destination's address comes first
    for number, port in enumerate(ports):
        if port == source or to not in (number, EVERYBODY):
            continue
        try:
            os.write(port, frame)
        except OSError:  # the device is down, or its queue is full: frames get lost
            pass


def switch(ports, delay):
    waiting = collections.deque()  # every frame waits as long: first in, first out
    while True:
        pause = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        for port in select.select(ports, [], [], pause)[0]:
            try:
                frame = os.read(port, LONGEST_FRAME)
            except OSError:
                continue
            waiting.append((time.monotonic() + delay, port, frame))
        while waiting and waiting[0][0] <= time.monotonic():
            _, port, frame = waiting.popleft()
            forward(ports, port, frame)


def main():
    with open("/proc/self/ns/net", "rb") as own:
        ports = [plug_in(host) for host in sys.argv[2:]]
        enter(own)
    print("ready", flush=True)
    switch(ports, float(sys.argv[1]))


if __name__ == "__main__":
    main()
