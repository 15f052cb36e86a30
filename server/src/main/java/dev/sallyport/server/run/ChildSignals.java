package dev.sallyport.server.run;

import dev.sallyport.server.Signals;
import dev.sallyport.server.terminal.ControllingTerminal;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes signals on to the program, in their order; those that come before it runs it gets when it does. What the keyboard
 * sends goes to the whole foreground process group: once the program runs it is one of the group, and gets no second one.
 * SIGQUIT stays with the JVM, which does not give it away. Thread-safe.
 */
final class ChildSignals {

    private static final Logger LOG = LoggerFactory.getLogger(ChildSignals.class);
    private static final List<String> PASSED = List.of("TERM", "HUP", "USR1", "USR2");
    private static final String KEYBOARD = "INT";
    private static final int POLL_MILLIS = 5;

    private final BlockingQueue<String> pending = new LinkedBlockingQueue<>();
    private final CompletableFuture<Child> child = new CompletableFuture<>();
    private volatile Runnable interrupted = () -> {};

    private ChildSignals() {}

    /**
     * A program that was started.
     *
     * @param process its process, or one that ends with it
     * @param program the process that is to get signals; null as long as there is none
     */
    record Child(Process process, Supplier<@Nullable ProcessHandle> program) {

        /** Waits for the program; null when everything has ended. */
        private @Nullable ProcessHandle await() throws InterruptedException {
            while (process.isAlive()) {
                ProcessHandle found = program.get();
                if (found != null) {
                    return found;
                }
                Thread.sleep(POLL_MILLIS);
            }
            return null;
        }
    }

    /** Takes over the signals of this process. */
    static ChildSignals install() {
        ChildSignals signals = new ChildSignals();
        PASSED.forEach(name -> Signals.on(name, number -> {
            signals.interrupted.run();
            signals.pending.add(name);
        }));
        Signals.on(KEYBOARD, number -> {
            signals.interrupted.run();
            if (!signals.runs() || !ControllingTerminal.inForeground()) {
                signals.pending.add(KEYBOARD);
            }
        });
        Thread.ofPlatform().daemon().name("sallyport-signals").start(signals::pass);
        return signals;
    }

    /** Has a task run for each signal that comes, before it is passed on; it must not block. */
    void onSignal(Runnable task) {
        interrupted = task;
    }

    /** The process of the program, or one that it descends from, once it is started. */
    CompletableFuture<ProcessHandle> process() {
        return child.thenApply(started -> started.process().toHandle());
    }

    /** Begins to pass them on. */
    void started(Child started) {
        child.complete(started);
    }

    /** Whether the program itself runs, and not only what starts it. */
    private boolean runs() {
        Child started = child.getNow(null);
        return started != null && started.program().get() != null;
    }

    private void pass() {
        try {
            String name = pending.take();
            ProcessHandle program = child.join().await();
            while (program != null) {
                send(name, program);
                name = pending.take();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The shell is not looked for in PATH: the program may have put another one there. */
    private static void send(String name, ProcessHandle program) throws InterruptedException {
        if (!program.isAlive()) {
            return;
        }
        try {
            new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + program.pid())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            LOG.warn("SIG{} is not passed on: {}", name, e.getMessage());
        }
    }
}
