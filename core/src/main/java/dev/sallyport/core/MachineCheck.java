package dev.sallyport.core;

import java.util.List;

/**
 * What a part of the packaged program needs of its machine, for {@code sallyport doctor}. Implementations are found by {@link
 * java.util.ServiceLoader} on the class path, need a public no-argument constructor and hold no state.
 */
public interface MachineCheck {

    /** What is examined, as a word of the command line, in lower case. Always the same. */
    String name();

    /** One sentence, for the help. */
    String summary();

    /** Looks, and tries what can be tried without a trace. May block, for seconds. */
    List<Need> examine() throws InterruptedException;

    /**
     * Something that is needed.
     *
     * @param name what
     * @param required whether nothing works without it
     * @param met whether it is there, and works
     * @param found what is there, or what is wrong
     * @param remedy what to do, in lines; empty when it is met
     */
    record Need(String name, boolean required, boolean met, String found, String remedy) {}
}
