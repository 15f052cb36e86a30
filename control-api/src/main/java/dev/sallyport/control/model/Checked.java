package dev.sallyport.control.model;

/** A body with rules that the types of its fields do not express. */
public interface Checked {

    /** Reports problems; fields that have one already are not looked at, for they hold a stand-in. */
    void check(FieldProblems problems);
}
