package dev.sallyport.core.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Bounds of a number, duration or size, written as in the configuration ({@code "1ms"}, {@code "64KiB"}). A duration
 * without one is at least 0.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Range {

    /** The least value; empty for none. */
    String min() default "";

    /** The greatest value; empty for none. */
    String max() default "";
}
