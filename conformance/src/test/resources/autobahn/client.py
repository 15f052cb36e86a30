"""
The fuzzing client of Autobahn's WebSocket test suite, in Python 2: one run over the servers and cases that the
specification names, a JSON file that is the only argument. It connects to the port "via" of a server, whatever its URL
says: a client that knows of no proxy is led to one, as by a kernel or a DNS server.
"""
import json
import sys

from twisted.internet import reactor

connect = reactor.connectTCP


def redirected(host, port, factory, *args, **options):
    server = factory.spec['servers'][factory.currServer]
    return connect('127.0.0.1', server['via'], factory, *args, **options)


reactor.connectTCP = redirected

from autobahntestsuite import fuzzing


class Client(fuzzing.FuzzingClientFactory):

    def createReports(self, produceHtml=True, produceJson=True):
        """Without those for people, which take longer than the cases."""
        return fuzzing.FuzzingClientFactory.createReports(self, produceHtml=False)


with open(sys.argv[1]) as specification:
    Client(json.load(specification))
reactor.run()
