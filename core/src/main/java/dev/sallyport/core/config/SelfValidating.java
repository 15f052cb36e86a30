package dev.sallyport.core.config;

import dev.sallyport.spi.Problems;

/** A config record of the engine that can say what its types cannot. Called once it is bound. */
interface SelfValidating {

    /** Reports what is wrong; see {@link dev.sallyport.spi.TransformFactory#validate}. */
    default void check(Problems problems) {}

    /** Reports what is allowed and yet hardly meant. */
    default void warn(Problems warnings) {}
}
