package dev.sallyport.control.model;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a component of a body or query may hold, and what its description says. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Limits {

    /** The least number of characters of a text, items of a list, or value of a number. */
    int min() default 0;

    /** The greatest one; 0 for none. */
    int max() default 0;

    /** What the whole text must match (RE2); empty for anything. */
    String pattern() default "";

    /** The pattern in words. */
    String expected() default "";

    /** For the description. */
    String description() default "";

    /** In the description: the value when there is none. */
    String defaultValue() default "";
}
