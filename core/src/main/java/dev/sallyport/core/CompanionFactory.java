package dev.sallyport.core;

import dev.sallyport.core.config.SectionFactory;
import dev.sallyport.spi.ConfigException;

/**
 * Makes what stands beside a proxy and has a top-level section of the configuration. Implementations are found by
 * {@link java.util.ServiceLoader} on the class path, need a public no-argument constructor and hold no state. They are
 * part of the program: the folder {@code plugins} is not searched for them.
 *
 * <p>A companion is made when the section is there at the start. A section that a reload adds, changes or removes takes
 * effect with a restart, which the {@linkplain ReloadResult.Reloaded#restartRequired result} of the reload says.
 *
 * @param <C> the record that the section is bound to
 */
public interface CompanionFactory<C extends Record> extends SectionFactory<C> {

    /**
     * Makes the companion; called once by each start of a proxy, on the thread that starts it. May block, but opens nothing
     * to the network yet: that is for {@link Companion#prepare}. Whatever is thrown ends the start; who throws leaves
     * nothing behind.
     *
     * @throws ConfigException when the section is well-formed but cannot work; its pointer is one below the section
     */
    Companion create(C config, CompanionContext context) throws ConfigException;
}
