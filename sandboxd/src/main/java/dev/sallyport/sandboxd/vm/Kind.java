package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.Availability;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.IOException;

/** A kind of drivers. Stateless. */
public interface Kind {

    /** Its name in the configuration. */
    String name();

    /** Whether it can run VMs on this machine. Changes nothing. */
    Availability check(HostSettings settings, Cgroups cgroups) throws IOException, InterruptedException;

    /** Opens it on a machine where it can, and whose folders are there. */
    Platform open(Machine machine) throws IOException, CommandException, InterruptedException;
}
