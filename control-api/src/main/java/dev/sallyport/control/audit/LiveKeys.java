package dev.sallyport.control.audit;

import java.util.Set;

/** Tells which API keys are valid. Thread-safe; may block. */
@FunctionalInterface
public interface LiveKeys {

    /** Those of these identifiers whose keys are valid now. */
    Set<String> live(Set<String> ids);
}
