package dev.sallyport.sandboxd;

/**
 * Scripts for root in a guest that has a machine of its own, which go past the guest's kernel: to ports and registers of
 * devices, and to its network card with frames of any form.
 */
final class Bare {

    /**
     * A program for Linux on x86-64, whole. It may use all ports, and has mapped the file that it is given at 0x10000000. It
     * reads pieces of eight bytes (what to do, a byte that is skipped, where in 16 bits, a value in 32) and answers each with
     * 32 bits. What to do: read a port of 8, 16 or 32 bits (0 to 2), write one (3 to 5), read and write a byte of the mapping
     * (6, 7), read and write 32 bits of it (8, 9).
     */
    private static final String PROGRAM =
            "7f454c4602010100000000000000000002003e00010000007800400000000000400000000000000000000000000000000000"
                    + "0000400038000100000000000000010000000500000000000000000000000000400000000000000040000000000062010000"
                    + "0000000062010000000000000010000000000000bf03000000b8ac0000000f05595fffc9744c5fbe02101000b8020000000f"
                    + "054989c04881eca00000004889e64489c7b8050000000f05488b742430bf00000010ba0300000041ba110000004531c9b809"
                    + "0000000f054885c00f887c00000031ff488d7424f0ba0800000031c00f0583f808756e0fb75424f28b4424f40fb64c24f048"
                    + "8dba00000010488d1d09000000488d1c8bffe30f1f00eceb239066edeb1eedeb1b90eeeb179066efeb12efeb0f908a07eb0a"
                    + "8807eb068b07eb028907894424f4bf01000000488d7424f4ba04000000b8010000000f05eb84bf01000000eb0231ffb83c00"
                    + "00000f05";

    private static final String INSTALL = "[ -x /run/bare ] || { perl -e 'print pack(\"H*\", \"" + PROGRAM
            + "\")' > /run/bare; chmod 700 /run/bare; }\n";

    private static final String PIECES = """
            sub pieces { # of what, where and value each; with a file to map, or none
              my $file = shift;
              open(my $in, ">", "/run/pieces"); binmode $in;
              print $in map { pack("CxSL", @$_) } @_; close $in;
              unpack("L*", `/run/bare $file < /run/pieces 2> /dev/null`)
            }
            sub ports { pieces("", @_) }
            """;

    private static final String FRAMES = """
            my $index = `cat /sys/class/net/eth0/ifindex`;
            socket(my $card, 17, 3, 0) or die "no socket: $!";
            sub frame { send($card, $_[0], 0, pack("SnlSCCa8", 17, 3, $index, 0, 0, 6, "")) or print "not sent: $!\\n" }
            sub mac { pack("H12", $_[0] =~ tr/://dr) }
            sub address { pack("C4", split(/\\./, $_[0])) }
            sub ether { my ($to, $from, $type, $data) = @_; mac($to) . mac($from) . pack("n", $type) . $data }
            sub sum {
              my $sum = 0;
              $sum += $_ for unpack("n*", length($_[0]) % 2 ? "$_[0]\\0" : $_[0]);
              $sum = ($sum >> 16) + ($sum & 0xffff) while $sum >> 16;
              ~$sum & 0xffff
            }
            sub ip { # source, destination, protocol, data, and where a fragment begins
              my ($from, $to, $protocol, $data, $part) = @_;
              my @head = (0x45, 0, 20 + length $data, int rand 65536, $part // 0, 64, $protocol);
              my @ends = (address($from), address($to));
              pack("CCnnnCCna4a4", @head, sum(pack("CCnnnCCna4a4", @head, 0, @ends)), @ends) . $data
            }
            sub udp { my ($from, $to, $data) = @_; pack("nnnn", $from, $to, 8 + length $data, 0) . $data }
            sub arp { my ($op, $mac, $from, $to) = @_; pack("nnCCn", 1, 0x800, 6, 4, $op) . mac($mac) . address($from)
              . "\\0" x 6 . address($to) }
            """;

    private Bare() {}

    /** A script of perl that has {@code ports(...)} and {@code pieces(FILE, ...)}. */
    static String pieces(String perl) {
        return INSTALL + perl(PIECES + perl);
    }

    /** A script of perl that has {@code frame(...)}, and functions to make frames. */
    static String frames(String perl) {
        return perl(FRAMES + perl);
    }

    /** A script of perl. */
    static String perl(String script) {
        return "perl - <<'END'\n$| = 1;\n" + script + "\nEND\n";
    }

    /** The same script, begun and not waited for. */
    static String soon(String script) {
        return "cat > /run/soon <<'SOON'\n" + script + "\nSOON\n"
                + "(/run/sallyport/busybox usleep 200000; sh /run/soon) > /dev/null 2>&1 < /dev/null &\n";
    }
}
