package dev.sallyport.control.account;

import java.time.Instant;

/** A user, without the password. */
public record User(
        String id, String firstName, String lastName, String email, boolean emailVerified, Instant createdAt) {}
