package dev.sallyport.testsupport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports that somebody must know before anybody listens there, or at which nobody is to listen. A port that the kernel chose,
 * and got back, it may give to the next who asks for one; these lie below those that it chooses from, and no other JVM of a
 * build draws the same ones soon.
 */
public final class Ports {

    private static final int FIRST = 20_000;
    private static final int COUNT = 12_000;

    /** Apart by more than any JVM draws, for JVMs that start one after the other. */
    private static final AtomicInteger NEXT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * 149 % COUNT));

    private Ports() {}

    /** A port of loopback, TCP and UDP, that is free, and stays so unless the caller listens there. */
    public static int unused() {
        for (int tried = 0; tried < COUNT; tried++) {
            int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (IOException e) {
                // Taken: the next one.
            }
        }
        throw new IllegalStateException("no port is free");
    }
}
