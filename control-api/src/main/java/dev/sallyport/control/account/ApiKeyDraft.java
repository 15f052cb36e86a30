package dev.sallyport.control.account;

import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;
import dev.sallyport.control.model.Texts;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A key to be made. */
@ServerOwned({"id", "prefix", "created_at"})
public record ApiKeyDraft(
        @Limits(min = 1, max = 64, pattern = Texts.PRINTABLE, expected = Texts.PRINTABLE_WORDS)
        String name,

        @Limits(description = "When it stops working; never when absent.") @Nullable Instant expiresAt) {}
