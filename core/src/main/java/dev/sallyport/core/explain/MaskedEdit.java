package dev.sallyport.core.explain;

import dev.sallyport.spi.Credential;
import dev.sallyport.spi.Edit;
import dev.sallyport.spi.Edits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * An edit as it may be shown: without secrets.
 *
 * @param edit what is done, such as {@code set_header}
 * @param name the header; empty for what has no name
 * @param value the new value, {@code ***} for one that carries a secret; empty where there is none to show
 */
public record MaskedEdit(String edit, String name, String value) {

    static final String MASK = "***";

    /** A credential that is shorter is no secret, and masking it would garble what is shown. */
    private static final int SHORTEST = 4;

    /** What may be shown of edits, in their order. */
    static List<MaskedEdit> of(Edits edits) {
        List<MaskedEdit> shown = new ArrayList<>();
        for (Edit edit : edits.list()) {
            shown.add(of(edit).without(edits.credentials()));
        }
        return shown;
    }

    private static MaskedEdit of(Edit edit) {
        return switch (edit) {
            case Edit.SetHeader set ->
                new MaskedEdit("set_header", set.name(), masked(set, String.join(", ", set.values())));
            case Edit.SetHeaderValue set -> new MaskedEdit("set_header", set.name(), masked(set, set.value()));
            case Edit.AddHeader add -> new MaskedEdit("add_header", add.name(), masked(add, add.value()));
            case Edit.RemoveHeader remove -> new MaskedEdit("remove_header", remove.name(), "");
            case Edit.SetMethod set -> new MaskedEdit("set_method", "", set.method());
            case Edit.SetPath set -> new MaskedEdit("set_path", "", masked(set, set.path()));
            case Edit.SetQuery set -> new MaskedEdit("set_query", "", masked(set, set.query()));
            case Edit.SetStatus set -> new MaskedEdit("set_status", "", Integer.toString(set.status()));
            case Edit.ReplaceBody replace -> new MaskedEdit("replace_body", "", replace.body().length + " bytes");
            case Edit.RewriteBody rewrite -> new MaskedEdit("rewrite_body", "", "");
            case Edit.ObserveBody observe -> new MaskedEdit("observe_body", "", "");
            case Edit.CheckBody check -> new MaskedEdit("check_body", "", "");
            case Edit.EditTrailers trailers -> new MaskedEdit("edit_trailers", "", "");
            case Edit.RewriteMessages messages -> new MaskedEdit("rewrite_messages", "", "");
        };
    }

    private static String masked(Edit edit, String value) {
        return edit.sensitive() ? MASK : value;
    }

    /** A second look, for values that an edit does not declare. */
    private MaskedEdit without(List<Credential> credentials) {
        String shown = value;
        for (Credential credential : credentials) {
            String secret = new String(credential.value(), StandardCharsets.ISO_8859_1);
            shown = secret.length() < SHORTEST ? shown : shown.replace(secret, MASK);
        }
        return new MaskedEdit(edit, name, shown);
    }
}
