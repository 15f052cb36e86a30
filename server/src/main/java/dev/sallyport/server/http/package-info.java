/**
 * What the HTTP listeners of the server share. Starting point: {@link dev.sallyport.server.http.HttpListener}.
 */
@NullMarked
package dev.sallyport.server.http;

import org.jspecify.annotations.NullMarked;
