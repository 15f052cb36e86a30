package dev.sallyport.control.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Describes a route of the API, for the document that {@link OpenApi} makes and for {@link RequestGate}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Operation {

    /** The organization has as much as it may have. */
    String QUOTA = "409 quota_exceeded";

    /** What it does, in a sentence. */
    String summary();

    /** The heading under which it stands. */
    String tag();

    /** The record of the body; {@code Void} when there is none. */
    Class<?> body() default Void.class;

    /** Whether the body may be left out. */
    boolean bodyOptional() default false;

    /** Whether a body of more than 16 KiB is refused. */
    boolean small() default false;

    /** The record of the query, besides what all changes read; {@code Void} when there is none. */
    Class<?> query() default Void.class;

    /** The record of the answer; {@code Void} when there is none. */
    Class<?> answer() default Void.class;

    /** How the answer stands in the body. */
    Form form() default Form.BARE;

    /** The status of success. */
    int status() default 200;

    /** The media type of the answer. */
    String media() default "application/json";

    /** The errors of its own, each {@code STATUS code}; those of all operations are added. */
    String[] errors() default {};

    /** Whether it needs no key. */
    boolean open() default false;

    /** Which limits it has without a key. */
    Rate rate() default Rate.ADDRESS;

    /** Whether it needs the token of a proxy, instead of a key. */
    boolean proxy() default false;

    /** Whether it changes something: the answer has {@code Sallyport-Revision}, and with a key it may be waited for. */
    boolean changes() default false;

    /** Whether it only asks, although it is a POST: sent again, it changes nothing. */
    boolean asks() default false;

    /** Whether a POST without a body reads {@code Idempotency-Key}, as those with one do. */
    boolean repeatable() default false;

    /** Whether the answer has an {@code ETag}. */
    boolean tagged() default false;

    /** Whether it has {@code If-Match}. */
    boolean conditional() default false;

    /** Limits of requests without a key. */
    enum Rate {
        /** That of the address. */
        ADDRESS,
        /** That of polls, instead. */
        POLL,
        /** That of the address, and that of sign-ups. */
        SIGN_UP
    }

    /** Forms of answers. */
    enum Form {
        /** The object itself. */
        BARE,
        /** The object in {@code data}. */
        DATA,
        /** A list of objects in {@code data}, with {@code has_more} and {@code cursor}. */
        LIST
    }
}
