package dev.sallyport.control.egress;

import dev.sallyport.control.model.EgressMode;
import dev.sallyport.control.model.Limits;

/** What becomes of destinations that no rule lets through. A new account has {@link EgressMode#ENFORCE}. */
public record EgressPolicy(
        @Limits(
                description =
                        "enforce refuses destinations that no rule lets through; warn lets them through without credentials, and records them.")
        EgressMode mode) {}
