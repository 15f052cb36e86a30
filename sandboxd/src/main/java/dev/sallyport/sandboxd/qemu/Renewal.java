package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * Has a guest that goes on from its parent's memory become one of its own: {@code renew.sh}. It is not connected until it
 * says that it has.
 */
final class Renewal {

    private static final String SCRIPT = KernelStore.resource("renew.sh");
    private static final String DONE = "renewed\n";

    /** How much the kernel is given, all of which counts. */
    private static final int NUMBERS = 64;

    /**
     * A program for Linux on x86-64, whole: it reads what {@code RNDADDENTROPY} of random(4) takes, 72 bytes, calls that on
     * its standard output, and then {@code RNDRESEEDCRNG}, without which a kernel draws from the same state for up to a
     * minute. A kernel with a driver for {@code vmgenid} does so by itself; Debian's 6.1 for the cloud has none, and no
     * program that images must have can do it.
     */
    private static final String PROGRAM = "7f454c46020101000000000000000000" // the head of an ELF file
            + "02003e00010000007800400000000000"
            + "40000000000000000000000000000000"
            + "00000000400038000100000000000000"
            + "01000000050000000000000000000000" // one segment, which is the file
            + "00004000000000000000400000000000"
            + "cc00000000000000cc00000000000000"
            + "0010000000000000"
            + "4883ec60" // sub rsp, 96
            + "31c031ff4889e6ba480000000f05" // read(0, rsp, 72)
            + "4883f8487530" // cmp rax, 72; jne failed
            + "b810000000bf01000000be035208404889e20f05" // ioctl(1, RNDADDENTROPY, rsp)
            + "4885c07517" // test rax, rax; jnz failed
            + "b810000000be0752000031d20f05" // ioctl(1, RNDRESEEDCRNG, 0)
            + "4885c07504" // test rax, rax; jnz failed
            + "31ffeb05" // xor edi, edi; jmp over
            + "bf01000000" // failed: mov edi, 1
            + "b83c0000000f05"; // exit(edi)

    private Renewal() {}

    /**
     * Returns when the guest says that it is renewed.
     *
     * @param card the address of its network card
     * @param told what a guest is told that boots, as an archive
     * @throws CommandException when it says that it cannot
     */
    static void run(GuestPort port, String card, byte[] told)
            throws IOException, WireException, CommandException, InterruptedException {
        List<String> arguments = List.of(now(), card, printf(program()), printf(numbers()));
        byte[] said = port.run(SCRIPT, arguments, stream -> stream.write(told), DONE.length());
        if (!new String(said, StandardCharsets.UTF_8).equals(DONE)) {
            throw new WireException("the guest does not say that it is renewed");
        }
    }

    private static String now() {
        Instant now = Instant.now();
        return String.format(Locale.ROOT, "%d.%03d", now.getEpochSecond(), now.getNano() / 1_000_000);
    }

    /** The program, as a file. */
    static byte[] program() {
        return HexFormat.of().parseHex(PROGRAM);
    }

    /** What the program reads: how many bits there are, in how many bytes, and these. */
    static byte[] numbers() {
        byte[] random = new byte[NUMBERS];
        new SecureRandom().nextBytes(random);
        return ByteBuffer.allocate(2 * Integer.BYTES + NUMBERS)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(NUMBERS * Byte.SIZE)
                .putInt(NUMBERS)
                .put(random)
                .array();
    }

    /** Bytes as printf(1) makes them. */
    private static String printf(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte value : bytes) {
            text.append(String.format(Locale.ROOT, "\\%03o", value & 255));
        }
        return text.toString();
    }
}
