package dev.sallyport.control.model;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A component that is read only when another one of the same body has one of these values; else it is dropped unread. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface OnlyWhen {

    /** The key of the other one. */
    String key();

    /** Its values. */
    String[] is();

    /** Its value when the body does not give it; empty for none. */
    String absent() default "";
}
