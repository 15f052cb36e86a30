package dev.sallyport.core.upstream;

/** Receives whether a route could be dialled. Exactly one call, on the loop. */
public interface RouteCheckListener {

    /** There is an address that may be dialled. */
    void onPassed();

    /** There is none. */
    void onFailure(UpstreamFailure failure);
}
