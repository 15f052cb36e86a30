package dev.sallyport.control.sandbox;

import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;
import dev.sallyport.control.model.Texts;
import org.jspecify.annotations.Nullable;

/** A VM as a client asks for it. */
@ServerOwned({"id", "status", "status_detail", "created_at", "updated_at"})
public record VmDraft(
        @Limits(
                min = 1,
                max = 64,
                pattern = Texts.PRINTABLE,
                expected = Texts.PRINTABLE_WORDS,
                description = "Unique among the VMs of the account that are not destroyed.")
        String name,

        @Limits(
                min = 1,
                max = 16_000,
                pattern = VmDraft.PUBLIC_KEY,
                expected = "one line, TYPE BASE64 [COMMENT], without options",
                description = "The SSH public key that may log in.")
        String publicKey,

        @Limits(description = "The snapshot to boot from instead of the base image.") @Nullable String snapshotId) {

    static final String PUBLIC_KEY =
            "(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\\.com) [A-Za-z0-9+/]{16,}={0,2}(?: [^\\x00-\\x1F\\x7F]*)?";

    /** The key without its comment, which only says whose it is. */
    String key() {
        String[] parts = publicKey.split(" ", 3);
        return parts[0] + " " + parts[1];
    }
}
