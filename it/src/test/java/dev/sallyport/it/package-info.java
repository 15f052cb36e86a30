/**
 * Whole proxies, with listeners and real sockets, between clients and origins on loopback. {@code TestProxy} is the proxy
 * under test; the other side of its sockets is in {@code test-support}.
 */
package dev.sallyport.it;
