package dev.sallyport.sandboxd.vm;

import dev.sallyport.sandbox.Layer;
import dev.sallyport.sandboxd.system.CommandException;
import java.io.IOException;
import java.nio.file.Path;

/** What a layer is on the disk. For any number of threads. */
public interface LayerForm {

    /** The name that it has in the folder of each layer. */
    String name();

    /**
     * Makes one of what was captured, and returns when all of it is on the disk.
     *
     * @param captured as {@link Body#capture} wrote it; stays as it is
     * @param place where it will be; nothing is there
     */
    Layer make(Path captured, Path place) throws IOException, CommandException, InterruptedException;

    /** Whether there is one, which has a digest. Reads all of it. */
    boolean is(String digest, Path place) throws IOException, CommandException, InterruptedException;
}
