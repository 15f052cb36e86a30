package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandboxd.system.CommandException;
import dev.sallyport.sandboxd.system.HostProcess;
import dev.sallyport.sandboxd.wire.WireException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What a VM is made of, as one kind of drivers has it. One thread at a time works on it. */
public interface Body {

    /**
     * Makes its files, in its folder, which is there.
     *
     * @param key that of its sshd
     * @param layers what snapshots added to its image, the uppermost first
     */
    void make(VmRecord vm, HostKeyPair key, List<Path> layers)
            throws IOException, WireException, CommandException, InterruptedException;

    /**
     * Connects it and starts it. What was begun when that fails, {@link #kill} and {@link #free} take back.
     *
     * @param layers as it was made with
     * @return its first process
     */
    HostProcess start(VmRecord vm, List<Path> layers)
            throws IOException, WireException, CommandException, InterruptedException;

    /** Asks for its end, and does not wait for it. One that has ended by itself is no error. */
    void askForEnd(HostProcess first) throws IOException, WireException, CommandException, InterruptedException;

    /** Kills what of it runs. Nothing running is no error. */
    void kill() throws IOException, CommandException, InterruptedException;

    /** Lets go of what the machine holds for it besides its network. Nothing of it may run any more. */
    void free() throws IOException, CommandException, InterruptedException;

    /** The most that a copy of it may take, in bytes. */
    long largestCapture(VmRecord vm) throws IOException, WireException;

    /**
     * Writes what it has on its disk into a file, as it is at one moment.
     *
     * @param file is empty
     * @param most how large the file may become, in bytes
     * @return for how long it stood still
     * @throws CommandException that says {@code tooLarge} when the file would become larger
     */
    Duration capture(Path file, long most) throws IOException, WireException, CommandException, InterruptedException;

    /** Runs scripts in it while it runs. */
    GuestShell shell(HostProcess first);
}
