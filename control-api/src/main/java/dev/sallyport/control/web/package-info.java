/**
 * Pages for people: verification of an address, approval of a device, the description of the API.
 *
 * <p>Starting points: {@link dev.sallyport.control.web.DeviceController}.
 */
@NullMarked
package dev.sallyport.control.web;

import org.jspecify.annotations.NullMarked;
