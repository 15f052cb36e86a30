package dev.sallyport.sandboxd;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever frames a guest's root makes, they end at the host's end of its cable. */
@Tag("long")
class QemuNetworkTest extends TwoMachines {

    private static final String COLLECT = """
            socket(my $card, 17, 3, 0x0300) or die;
            open(my $seen, ">", "/run/seen"); $seen->autoflush(1);
            open(my $ready, ">", "/run/ready"); close $ready;
            while (1) { recv($card, my $frame, 70000, 0); print $seen "$1\\n" if $frame =~ /(MARK-[a-z0-9-]+)/ }
            """;

    /** Has the neighbour write down what reaches it of what bears a mark. */
    private static void collect() throws Exception {
        host.ssh(
                NEIGHBOUR,
                "rm -f /run/seen /run/ready; cat > /run/collect.pl <<'END'\nuse IO::Handle;\n" + COLLECT
                        + "END\nperl /run/collect.pl > /dev/null 2>&1 < /dev/null & echo $! > /run/collector;"
                        + " until [ -e /run/ready ]; do /run/sallyport/busybox usleep 50000; done");
    }

    /** What has reached it, once what the host sends to it has. */
    private static String collected() throws Exception {
        return host.ssh(NEIGHBOUR, """
                until grep -q MARK-control /run/seen; do /run/sallyport/busybox usleep 50000; done
                kill $(cat /run/collector); sort -u /run/seen""");
    }

    private static void control() throws Exception {
        host.run("python3", "-c", """
                import socket
                s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"MARK-control", ("10.77.0.3", 9))""");
    }

    private static String routes() throws Exception {
        return host.run(
                "sh",
                "-c",
                "ip route; ip -6 route | grep -v '^fe80'; ip -4 neigh | grep -v -e '^10.77.0.[23] '; ip -6 neigh; ip -6 -o address"
                        + " show | grep svh || true");
    }

    @Test
    void noFrameOfAnyKindGetsToTheNeighbourOrChangesTheHost() throws Exception {
        String before = routes();
        collect();

        String printed = ssh(Bare.frames("""
                my ($me, $other, $all) = qw(52:54:00:00:00:02 52:54:00:00:00:03 ff:ff:ff:ff:ff:ff);
                for my $to ($other, $all, "00:00:00:00:00:00", "01:00:5e:00:00:fb", `cat /run/gate 2> /dev/null` || $all) {
                  for my $from ($me, $other, $all) {
                    for my $source ("10.77.0.2", "10.77.0.3", "10.77.0.1", "127.0.0.1", "0.0.0.0", "192.0.2.1") {
                      for my $target ("10.77.0.3", "255.255.255.255", "10.77.255.255", "224.0.0.251", "10.77.0.1") {
                        my $ip = ip($source, $target, 17, udp(67, 68, "MARK-udp"));
                        frame(ether($to, $from, 0x800, $ip));
                        frame(ether($to, $from, 0x8100, pack("nn", $_, 0x800) . $ip)) for 0, 1, 0xe000, 4094;
                        frame(ether($to, $from, 0x88a8, pack("nnnn", 1, 0x8100, 2, 0x800) . $ip));
                      }
                    }
                    frame(ether($to, $from, 0x806, arp($_, $me, "10.77.0.1", "10.77.0.3") . "MARK-arp")) for 1, 2;
                    frame(ether($to, $from, 0x806, arp($_, $me, "10.77.0.3", "10.77.0.1") . "MARK-arp")) for 1, 2;
                    frame(ether($to, $from, $_, "MARK-type" x 9)) for 0x88cc, 0x888e, 0x8863, 0x8864, 0x8847, 0x9000, 0x0026, 0xffff;
                  }
                }
                frame(ether($all, $me, 0x800, ip("10.77.0.2", "10.77.0.3", $_, "MARK-protocol" . "x" x 40)))
                  for 0, 1, 2, 4, 41, 47, 50, 89, 132, 255;"""));
        String huge = ssh("ip link set eth0 mtu 9000; " + Bare.frames("""
                frame(ether("52:54:00:00:00:03", "52:54:00:00:00:02", 0x800, ip("10.77.0.2", "10.77.0.3", 17, udp(9, 9, "MARK-huge" . "x" x 8900))));
                frame(ether("52:54:00:00:00:03", "52:54:00:00:00:02", 0x800, ""));""") + "ip link set eth0 mtu 1500");
        control();

        assertThat(printed + huge).isEmpty();
        assertThat(collected()).isEqualTo("MARK-control\n");
        assertThat(routes()).isEqualTo(before);
        assertThat(host.driver().refused(guest).spoofed()).isPositive();
    }

    /** An advertisement of a router, while the rules are gone as well: a host that believed it would send by way of a guest. */
    @Test
    void theHostSpeaksNoIpv6WithAGuest() throws Exception {
        String before = routes();
        String send = Bare.frames("""
                sub six { my ($from, $to, $data) = @_;
                  my $pseudo = $from . $to . pack("NN", length $data, 58);
                  substr($data, 2, 2) = pack("n", sum($pseudo . $data));
                  pack("NnCC", 6 << 28, length $data, 58, 255) . $from . $to . $data }
                sub near { pack("H*", "fe80" . "0" x 12 . sprintf("%016x", $_[0])) }
                my $nodes = pack("H*", "ff02" . "0" x 27 . "1");
                my $router = pack("CCnCCnNN", 134, 0, 0, 64, 0, 1800, 0, 0)
                  . pack("CCCCNNN", 3, 4, 64, 0xc0, 86400, 86400, 0) . pack("H*", "20010db8bad00000" . "0" x 16)
                  . pack("CC", 1, 1) . mac("52:54:00:00:00:02");
                for (1..300) {
                  my $i = 1 + int rand 1e9;
                  frame(ether("33:33:00:00:00:01", "52:54:00:00:00:02", 0x86dd, six(near($i), $nodes, $router))) if $_ < 10;
                  frame(ether("33:33:00:00:00:01", "52:54:00:00:00:02", 0x86dd,
                    six(near($i), $nodes, pack("CCnN", 135, 0, 0, 0) . near(1) . pack("CC", 1, 1) . mac("52:54:00:00:00:02"))));
                }""");

        assertThat(ssh(send)).isEmpty();
        assertThat(routes()).isEqualTo(before);
        assertThat(host.run("sh", "-c", "nft flush ruleset; mount --bind /bin/false $(command -v nft)"))
                .isEmpty();
        try {
            assertThat(host.run("sh", "-c", "ip -6 -o address show dev svh2")).isEmpty();
        } finally {
            host.run(
                    "sh",
                    "-c",
                    "umount $(command -v nft); until nft list chain inet sallyport_sandbox steer 2> /dev/null | grep -q dnat &&"
                            + " ip -o link show up | grep -q svh2; do sleep 0.05; done");
        }
        host.awaitSsh(GUEST);
        host.awaitSsh(NEIGHBOUR);
    }

    /** Its root can turn IPv6 on, and send past the host's silence. */
    @Test
    void ipv6OfAGuestIsRejectedAtOnceAndCounted() throws Exception {
        String before = routes();
        long refused = host.driver().refused(guest).packets();
        try {
            assertThat(ssh("""
                    echo 0 > /proc/sys/net/ipv6/conf/eth0/disable_ipv6
                    ip -6 address add 2001:db8:1::2/64 dev eth0 nodad
                    ip -6 neighbour add fe80::1 lladdr $(ip neighbour show 10.77.0.1 | sed 's/.*lladdr \\([^ ]*\\).*/\\1/') dev eth0
                    ip -6 route add default via fe80::1 dev eth0
                    perl -e 'use Socket qw(:DEFAULT inet_pton pack_sockaddr_in6);
                      $target = pack_sockaddr_in6(443, inet_pton(AF_INET6, "2001:db8::7"));
                      socket(T, PF_INET6, SOCK_STREAM, 0); connect(T, $target) or print "tcp: $!\\n";
                      socket(U, PF_INET6, SOCK_DGRAM, 0); connect(U, $target); send(U, "x", 0);
                      recv(U, $answer, 100, 0) // print "udp: $!\\n";'""")).isEqualTo("tcp: Connection refused\nudp: Permission denied");
        } finally {
            ssh("echo 1 > /proc/sys/net/ipv6/conf/eth0/disable_ipv6");
        }

        assertThat(host.driver().refused(guest).packets()).isEqualTo(refused + 2);
        assertThat(routes()).isEqualTo(before);
        host.awaitLog(guest + " is refused udp [2001:db8::7]:443");
    }

    /** The kernel's table of neighbours is the whole machine's, and has room for 1024. */
    @Test
    void aGuestTakesOnePlaceAmongTheNeighboursOfTheHost() throws Exception {
        assertThat(ssh(Bare.frames("""
                for (1..300) {
                  my $from = join(".", 11, map { int rand 256 } 1..3);
                  frame(ether("ff:ff:ff:ff:ff:ff", "52:54:00:00:00:02", 0x806, arp(1, "52:54:00:00:00:02", $from, "10.77.0.1")));
                  frame(ether("ff:ff:ff:ff:ff:ff", "52:54:00:00:00:02", 0x806, arp(2, "52:54:00:00:00:02", $from, $from)));
                }"""))).isEmpty();

        assertThat(host.run("ip", "-4", "neigh", "show", "dev", "svh2").lines()).hasSizeLessThanOrEqualTo(1);
        assertThat(ssh("ip neigh flush dev eth0; sleep 0.2; echo here")).isEqualTo("here");
    }

    @Test
    void theHostTellsNoAddressOfItsOwnButTheGates() throws Exception {
        host.run("ip", "address", "add", "192.168.77.9/32", "dev", "lo");
        try {
            assertThat(ssh(Bare.frames("""
                    socket(my $ears, 17, 3, 0x0608) or die;
                    for (qw(192.168.77.9 127.0.0.1 10.77.0.3 10.77.0.1)) {
                      frame(ether("ff:ff:ff:ff:ff:ff", "52:54:00:00:00:02", 0x806, arp(1, "52:54:00:00:00:02", "10.77.0.2", $_)));
                    }
                    while (1) {
                      recv($ears, my $frame, 2000, 0);
                      next if unpack("n", substr($frame, 20, 2)) != 2;
                      my $who = join(".", unpack("C4", substr($frame, 28, 4)));
                      print "$who\\n";
                      last if $who eq "10.77.0.1";
                    }"""))).isEqualTo("10.77.0.1");
        } finally {
            host.run("ip", "address", "delete", "192.168.77.9/32", "dev", "lo");
        }
    }

    /** What waits for its other parts takes of a room that all of the host's packets share. */
    @Test
    void partsOfPacketsAreNotCollected() throws Exception {
        String before = reassembly();

        assertThat(ssh(Bare.frames("""
                my $gate = `ip neigh show 10.77.0.1` =~ /lladdr (\\S+)/ ? $1 : die;
                frame(ether($gate, "52:54:00:00:00:02", 0x800, ip("10.77.0.2", "10.77.0.1", 17, "x" x 1400, 0x2000))) for 1..100;
                frame(ether($gate, "52:54:00:00:00:02", 0x800, ip("10.77.0.3", "10.77.0.1", 17, "x" x 1400, 0x2000))) for 1..100;
                """))).isEmpty();

        assertThat(reassembly()).isEqualTo(before);
    }

    /** How many parts were collected, and what memory those that wait take. */
    private static String reassembly() throws Exception {
        return host.run(
                "sh", "-c", "grep '^Ip: [0-9]' /proc/net/snmp | cut -d ' ' -f 15; grep FRAG /proc/net/sockstat");
    }
}
