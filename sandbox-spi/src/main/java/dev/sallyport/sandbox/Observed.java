package dev.sallyport.sandbox;

import java.time.Instant;

/** What a driver sees of a VM, which is not always what was asked for. */
public sealed interface Observed {

    /** There is no such VM: it never was, or has been destroyed. */
    record Absent() implements Observed {}

    /** It exists and nothing of it runs: not started yet, stopped, or ended by itself. */
    record Stopped() implements Observed {}

    /**
     * It runs. Its sshd may still be on its way.
     *
     * @param since when it was started
     * @param ssh where its sshd listens
     */
    record Running(Instant since, SshEndpoint ssh) implements Observed {}

    /**
     * It cannot be used: what the driver holds of it is damaged or half made. Only destroying it is left.
     *
     * @param reason one sentence for the operator
     */
    record Failed(String reason) implements Observed {}
}
