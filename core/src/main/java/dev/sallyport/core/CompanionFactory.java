package dev.sallyport.core;

import dev.sallyport.core.config.SectionFactory;
import dev.sallyport.spi.ConfigException;

/**
 * Makes a companion, which runs beside a proxy and has a top-level section of the configuration. Implementations are
 * found by {@link java.util.ServiceLoader} on the class path, need a public no-argument constructor and hold no state.
 * They are part of the program: the folder {@code plugins} is not searched for them.
 *
 * <p>A companion is made when its section is present at the start. A section that a reload adds, changes or removes
 * takes effect with a restart, as the {@linkplain ReloadResult.Reloaded#restartRequired result} of the reload says.
 *
 * @param <C> the record that the section is bound to
 */
public interface CompanionFactory<C extends Record> extends SectionFactory<C> {

    /**
     * Makes the companion; called once for each start of a proxy, on the thread that starts it. May block, but opens
     * nothing to the network yet: {@link Companion#prepare} does. An exception ends the start; this method then leaves
     * nothing behind.
     *
     * @throws ConfigException when the section is well-formed but cannot work; its pointer is at or below the section
     */
    Companion create(C config, CompanionContext context) throws ConfigException;
}
