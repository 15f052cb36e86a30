package dev.sallyport.core.pipeline;

import dev.sallyport.core.config.TransformEntry;
import dev.sallyport.spi.BuildContext;
import dev.sallyport.spi.ConfigException;
import dev.sallyport.spi.Rule;
import dev.sallyport.spi.RuleSet;
import dev.sallyport.spi.Transform;
import java.util.List;

/** Creates the transforms of a generation that serves, or of one that only explains. Thread-safe. */
public interface TransformMaker {

    /** Makes them as their factories do. */
    TransformMaker PLAIN = new TransformMaker() {};

    /** Makes the transform of an entry. May block. */
    default Transform make(TransformEntry<?> entry, BuildContext context) throws ConfigException {
        return entry.create(context);
    }

    /** Closes a transform that is no longer used. */
    default void unmake(TransformEntry<?> entry, Transform transform) {
        QuietClose.quietly(entry.name(), transform);
    }

    /**
     * What a transform gets when it has rules compiled.
     *
     * @param pointer JSON pointer of the entry's configuration
     * @param rules the list as the transform passed it
     */
    default RuleSet rules(String pointer, List<Rule> rules, RuleSet compiled) {
        return compiled;
    }

    /** See {@link BuildContext#mayCallOut}. */
    default boolean mayCallOut() {
        return true;
    }
}
