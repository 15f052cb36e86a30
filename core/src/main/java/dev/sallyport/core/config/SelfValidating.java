package dev.sallyport.core.config;

import dev.sallyport.spi.Problems;

/** A config record of the engine that checks what its types cannot express. Called once it is bound. */
interface SelfValidating {

    /** Reports problems; see {@link dev.sallyport.spi.TransformFactory#validate}. */
    default void check(Problems problems) {}

    /** Reports what is allowed but probably a mistake. */
    default void warn(Problems warnings) {}
}
