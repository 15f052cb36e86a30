package dev.sallyport.core.audit.chain;

import java.nio.file.Path;

/**
 * The first thing that is not as it was written.
 *
 * @param line in the file, from 1
 * @param seq of the record that is broken, missing or out of place; of a checkpoint its size
 * @param what is wrong with it
 */
public record Finding(Path file, long line, long seq, String what) {

    /** {@code FILE:LINE seq N}. */
    public String place() {
        return file + ":" + line + " seq " + seq;
    }
}
