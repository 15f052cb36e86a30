# Makes the tools of this shell work through Sallyport. For POSIX shells; may be evaluated again at any time.
# What SALLYPORT_CA_DIR, SALLYPORT_PROXY and no_proxy are set to before counts.
