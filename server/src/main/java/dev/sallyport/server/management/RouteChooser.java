package dev.sallyport.server.management;

import io.netty.handler.codec.http.HttpRequest;

/** Decides by the head of a request who answers it. Thread-safe. */
@FunctionalInterface
interface RouteChooser {

    Routes.Choice choose(HttpRequest head);
}
