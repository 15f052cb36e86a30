package dev.sallyport.server.flood;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A client like any other, at an address of its own: asks for a small thing again and again, and has no patience for ever. */
final class Bystander implements AutoCloseable {

    /** What common clients wait. */
    private static final int LIMIT_MILLIS = 30_000;

    private static final int PACE_MILLIS = 20;

    private final InetSocketAddress proxy;
    private final String host;
    private final String address;
    private final Thread thread;
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicLong longestNanos = new AtomicLong();
    private final CountDownLatch done = new CountDownLatch(1);

    Bystander(InetSocketAddress proxy, String host, String address) {
        this.proxy = proxy;
        this.host = host;
        this.address = address;
        this.thread = Thread.ofPlatform().daemon().name("bystander").start(this::ask);
    }

    private void ask() {
        do {
            long before = System.nanoTime();
            try (Socket socket = new Socket()) {
                socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
                socket.setSoTimeout(LIMIT_MILLIS);
                socket.connect(proxy, LIMIT_MILLIS);
                asked.incrementAndGet();
                Attacker.send(socket, "GET /ok HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
                String head = Attacker.head(socket);
                longestNanos.accumulateAndGet(System.nanoTime() - before, Math::max);
                if (!head.startsWith("HTTP/1.1 200 ")) {
                    failures.add(head);
                }
            } catch (IOException e) {
                failures.add(e.toString());
            }
        } while (!ended());
    }

    /** The longest that an answer took since the last call, in milliseconds. */
    long longestMillis() {
        return TimeUnit.NANOSECONDS.toMillis(longestNanos.getAndSet(0));
    }

    /** Waits until it is time to ask again, or the end. */
    private boolean ended() {
        try {
            return done.await(PACE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true;
        }
    }

    String address() {
        return address;
    }

    /** How often it has asked. */
    int asked() {
        return asked.get();
    }

    /** What it got instead of its answers. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Ends after the answer that it waits for. */
    @Override
    public void close() throws InterruptedException {
        done.countDown();
        thread.join();
    }
}
