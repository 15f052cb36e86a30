package dev.sallyport.spi;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares that a text in a configuration record is never a secret, such as the name of an environment variable.
 * Without it, the management API does not show texts whose key sounds like that of a secret ({@code token}, {@code
 * value}), nor any text in the record of a secret source.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface NoSecret {}
