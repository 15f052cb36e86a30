package dev.sallyport.control.environment;

import dev.sallyport.control.model.Checked;
import dev.sallyport.control.model.FieldProblems;
import dev.sallyport.control.model.Limits;
import dev.sallyport.control.model.ServerOwned;
import java.nio.charset.StandardCharsets;

/** The value of a variable as a client sends it. */
@ServerOwned({"id", "key", "created_at", "updated_at"})
public record VariableDraft(
        @Limits(max = VariableDraft.LONGEST, description = "Kept encrypted.")
        String value) implements Checked {

    /** The greatest length of a value, in bytes of UTF-8. */
    static final int LONGEST = 64 << 10;

    @Override
    public void check(FieldProblems problems) {
        if (!problems.isTouched("value") && value.getBytes(StandardCharsets.UTF_8).length > LONGEST) {
            problems.add("value", "out of range (expected: at most 65536 bytes)");
        }
    }

    /** Without the value. */
    @Override
    public String toString() {
        return "VariableDraft[]";
    }
}
