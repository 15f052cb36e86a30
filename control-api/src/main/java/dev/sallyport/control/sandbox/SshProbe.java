package dev.sallyport.control.sandbox;

import dev.sallyport.sandbox.SshEndpoint;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Whether an sshd answers: whether its banner begins as RFC 4253, 4.2 says. */
final class SshProbe {

    private static final byte[] BANNER = "SSH-".getBytes(StandardCharsets.US_ASCII);
    private static final long MILLIS = 500;

    private SshProbe() {}

    /** Blocks for half a second at most, however slowly the guest talks. */
    static boolean answers(SshEndpoint ssh) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLIS);
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(ssh.host(), ssh.port()), left(end));
            InputStream in = socket.getInputStream();
            for (byte expected : BANNER) {
                socket.setSoTimeout(left(end));
                if (in.read() != expected) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return false; // not yet, or not any more: it is asked again
        }
    }

    /** Milliseconds, at least one: 0 would be for ever. */
    private static int left(long end) {
        return (int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
    }
}
