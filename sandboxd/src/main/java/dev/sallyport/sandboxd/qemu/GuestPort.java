package dev.sallyport.sandboxd.qemu;

import dev.sallyport.sandboxd.system.Command;
import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.UnixConnection;
import dev.sallyport.sandboxd.vm.GuestFiles;
import dev.sallyport.sandboxd.vm.GuestShell;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A port of a virtual machine, at whose other end {@code agent.sh} runs scripts. The guest's root can say anything there; it
 * is believed as far as a guest is believed of itself. One thread at a time.
 *
 * <p>What an earlier request has left in the port, whose asker is gone, comes before the answer to this one: an id that
 * nobody can know before tells where that begins.
 */
final class GuestPort implements GuestShell {

    private static final Duration LIMIT = Duration.ofSeconds(15);
    private static final Pattern HEAD = Pattern.compile("([0-9]{1,3}) ([0-9]{1,10})");
    private static final int LONGEST_HEAD = 40;

    /** How much may have been left in the port. */
    private static final int MOST_LEFT = 4 << 20;

    private final Path socket;

    GuestPort(Path socket) {
        this.socket = socket;
    }

    @Override
    public byte[] run(String script, List<String> arguments, Command.Input input, int most)
            throws IOException, WireException, CommandException, InterruptedException {
        try (UnixConnection port = UnixConnection.open(socket, LIMIT)) {
            String id = send(port, script, arguments, input);
            skipTo(port, id + " ");
            Matcher head = HEAD.matcher(port.line(LONGEST_HEAD));
            if (!head.matches()) {
                throw new WireException("the guest does not say how its script has ended");
            }
            byte[] written = take(port, Long.parseLong(head.group(2)), most);
            int code = Integer.parseInt(head.group(1));
            if (code != 0) {
                throw CommandException.ended("a script in the guest", code, "");
            }
            return written;
        }
    }

    /** Has a script run without waiting for it; it may never be run. */
    void post(String script) throws IOException, InterruptedException {
        try (UnixConnection port = UnixConnection.open(socket, LIMIT)) {
            send(port, script, List.of(), stream -> {});
        }
    }

    private static String send(UnixConnection port, String script, List<String> arguments, Command.Input input)
            throws IOException, InterruptedException {
        byte[] random = new byte[16];
        new SecureRandom().nextBytes(random);
        String id = HexFormat.of().formatHex(random);
        byte[] whole = (words(arguments) + script).getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        input.writeTo(read);
        port.write((id + " " + whole.length + " " + read.size() + "\n").getBytes(StandardCharsets.UTF_8));
        port.write(whole);
        port.write(read.toByteArray());
        return id;
    }

    /** A line that sets the arguments of a script of the shell. */
    static String words(List<String> arguments) {
        return "set --" + arguments.stream().map(GuestFiles::quoted).collect(Collectors.joining(" ", " ", "\n"));
    }

    private static void skipTo(UnixConnection port, String mark)
            throws IOException, WireException, InterruptedException {
        StringBuilder last = new StringBuilder();
        for (int skipped = 0; !mark.contentEquals(last); skipped++) {
            if (skipped == MOST_LEFT) {
                throw new WireException("the guest says something else");
            }
            if (last.length() == mark.length()) {
                last.deleteCharAt(0);
            }
            last.append((char) (port.read() & 255));
        }
    }

    private static byte[] take(UnixConnection port, long size, int most) throws IOException, InterruptedException {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        for (long i = 0; i < size && i < most; i++) {
            kept.write(port.read());
        }
        return kept.toByteArray();
    }
}
