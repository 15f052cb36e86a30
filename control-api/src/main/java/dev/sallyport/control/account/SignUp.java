package dev.sallyport.control.account;

import java.time.Instant;

/** A new account. */
public record SignUp(Key apiKey, User user) {

    /** Its first key. The token is shown here and never again. */
    public record Key(String id, String name, String token, Instant createdAt) {

        /** Without the token. */
        @Override
        public String toString() {
            return "Key[" + id + "]";
        }
    }
}
