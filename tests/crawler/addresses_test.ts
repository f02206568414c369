import { assertEquals } from "@std/assert";
import { isPublicAddress } from "../../src/crawler/mod.ts";

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "93.184.216.34",
  "172.32.0.1",
  "192.167.255.255",
  "2606:4700:4700::1111",
];

const NOT_PUBLIC: Record<string, readonly string[]> = {
  "this network": ["0.0.0.0", "0.1.2.3", "::"],
  "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
  "loopback": ["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1"],
  "link-local, with cloud metadata": ["169.254.169.254", "169.254.0.1", "fe80::1", "fe80::1%eth0", "febf::1"],
  "shared (CGNAT), with Alibaba's metadata": ["100.64.0.1", "100.127.255.255", "100.100.100.200"],
  "platform services of Azure": ["168.63.129.16"],
  "protocol assignments, with Oracle's metadata": ["192.0.0.192", "192.0.0.1"],
  "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
  "benchmarking": ["198.18.0.1", "198.19.255.255", "2001:2::1"],
  "multicast": ["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"],
  "reserved and broadcast": ["240.0.0.1", "255.255.255.255", "192.88.99.1"],
  "unique local, with Amazon's metadata": ["fc00::1", "fd00:ec2::254", "fdff::1"],
  "site-local": ["fec0::1"],
  "IPv4-mapped": ["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:1.1.1.1", "::ffff:0:127.0.0.1"],
  "IPv4-compatible": ["::127.0.0.1", "::7f00:1"],
  "NAT64": ["64:ff9b::7f00:1", "64:ff9b::127.0.0.1", "64:ff9b:1::1"],
  "6to4": ["2002:7f00:1::", "2002:a00:1::1"],
  "Teredo": ["2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
  "discard": ["100::1"],
  "not assigned": ["4000::1", "200::1", "e000::1"],
  "no address": ["", "localhost", "1.1.1", "0x7f.1", "2130706433", "017700000001", "1.1.1.1:80", "[::1]"],
};

Deno.test("ordinary addresses of the internet are public", () => {
  for (const address of PUBLIC) assertEquals([address, isPublicAddress(address)], [address, true]);
});

for (const [kind, addresses] of Object.entries(NOT_PUBLIC)) {
  Deno.test(`addresses are not public: ${kind}`, () => {
    for (const address of addresses) assertEquals([address, isPublicAddress(address)], [address, false]);
  });
}
