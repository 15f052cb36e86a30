package dev.sallyport.core.redact;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Edit;
import java.util.function.Consumer;

/** Finds possible secrets in an edit whose transform declares none: everything that it writes, and the parts of it. */
final class UndeclaredSecrets {

    private static final String SEPARATORS = " \t,;=:&/?\"";

    private UndeclaredSecrets() {}

    /** Reports each value that is long enough to be searched for. */
    static void in(Edit edit, Consumer<String> found) {
        switch (edit) {
            case Edit.SetHeader set -> set.values().forEach(value -> text(value, found));
            case Edit.SetHeaderValue set -> text(set.value(), found);
            case Edit.AddHeader add -> text(add.value(), found);
            case Edit.SetQuery set -> parts(set.query(), found);
            case Edit.SetPath set -> parts(set.path(), found);
            case Edit.SetMethod method -> {}
            case Edit.RemoveHeader remove -> {}
            case Edit.SetStatus status -> {}
            case Edit.ObserveBody observe -> {}
            case Edit.CheckBody check -> {}
            // Streaming edits declare what they carry; trailer fields are examined when they have come.
            case Edit.ReplaceBody replace -> {}
            case Edit.RewriteBody rewrite -> {}
            case Edit.EditTrailers trailers -> {}
            case Edit.RewriteMessages messages -> {}
        }
    }

    private static void text(String value, Consumer<String> found) {
        if (value.length() >= Credential.MIN_LENGTH) {
            found.accept(value);
        }
        int space = value.indexOf(' ');
        String rest = space < 0 ? "" : value.substring(space + 1).strip();
        if (rest.length() >= Credential.MIN_LENGTH) {
            found.accept(rest);
        }
        parts(rest.isEmpty() ? value : rest, found);
    }

    private static void parts(String value, Consumer<String> found) {
        int start = 0;
        for (int i = 0; i <= value.length(); i++) {
            if (i == value.length() || SEPARATORS.indexOf(value.charAt(i)) >= 0) {
                boolean whole = start == 0 && i == value.length();
                if (i - start >= Credential.MIN_LENGTH && !whole) {
                    found.accept(value.substring(start, i));
                }
                start = i + 1;
            }
        }
    }
}
